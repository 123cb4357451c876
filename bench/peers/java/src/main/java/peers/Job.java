package peers;

import java.io.Serializable;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** What a task carries: its number, and when its add was called. */
record Job(int number, long calledUs) implements Serializable {
    static Job now(int number) {
        return new Job(number, nowUs());
    }

    /** Microseconds of the clock that all processes of a machine share. */
    static long nowUs() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }
}
