package peers;

import java.io.Serializable;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** What a task carries: its number, when its add was called, and in chains some more. */
record Job(int number, long calledUs, String data) implements Serializable {
    static Job now(int number, String data) {
        return new Job(number, nowUs(), data);
    }

    /** Microseconds of the clock that all processes of a machine share. */
    static long nowUs() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }
}
