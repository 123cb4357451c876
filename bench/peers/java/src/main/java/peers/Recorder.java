package peers;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;

/** Who ran, how often, and how long each had waited. */
final class Recorder {
    /** A worker that has run nothing for so long will not run the rest. */
    private static final long PATIENCE_NS = 10_000_000_000L;

    private final AtomicInteger hits = new AtomicInteger();
    private final AtomicIntegerArray runs;
    private final AtomicLongArray waitedUs;
    private final Consumer<Job> then;

    /** What comes then is still part of the task. */
    Recorder(int tasks, Consumer<Job> then) {
        runs = new AtomicIntegerArray(tasks);
        waitedUs = new AtomicLongArray(tasks);
        this.then = then;
    }

    void hit(Job job) {
        waitedUs.set(job.number(), Math.max(0, Job.nowUs() - job.calledUs()));
        runs.incrementAndGet(job.number());
        hits.incrementAndGet();
        then.accept(job);
    }

    /** Until all have run and none is left, or nothing moves any more: the answer tells which. */
    void await(Peer peer) throws Exception {
        int seen = 0;
        long moved = System.nanoTime();
        while (hits.get() < runs.length() && System.nanoTime() - moved < PATIENCE_NS) {
            if (hits.get() > seen) {
                seen = hits.get();
                moved = System.nanoTime();
            }
            Thread.sleep(1);
        }
        while (hits.get() >= runs.length() && System.nanoTime() - moved < PATIENCE_NS && peer.left() > 0) {
            Thread.sleep(1);
        }
    }

    String answer(double seconds) {
        int missing = 0;
        int doubled = 0;
        long[] waited = new long[runs.length()];
        for (int at = 0; at < waited.length; at++) {
            waited[at] = waitedUs.get(at);
            missing += runs.get(at) == 0 ? 1 : 0;
            doubled += runs.get(at) > 1 ? 1 : 0;
        }
        Arrays.sort(waited);
        return "{\"tasks\":%d,\"seconds\":%s,\"missing\":%d,\"doubled\":%d,\"p50_us\":%d,\"p99_us\":%d}"
                .formatted(waited.length, seconds, missing, doubled, percentile(waited, 50), percentile(waited, 99));
    }

    private static long percentile(long[] sorted, int percent) {
        return sorted[Math.max(1, (sorted.length * percent + 99) / 100) - 1];
    }
}
