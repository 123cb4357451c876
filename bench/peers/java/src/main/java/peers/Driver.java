package peers;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What every Java peer's program shares: the command line, the loads and the answer. ../README.md tells them. */
final class Driver {
    /** For a worker's listeners to come up before anything is added. */
    private static final long SETTLE_MS = 300;
    private static final int FILL_BATCH = 1000;
    private static final int CHAIN_CALLERS = 30;

    private final Peer peer;
    private String url;
    private int tasks;
    private int callers = 1;
    private int rate = 1;
    private int depth = 1;
    private String data = "";
    private long began;

    private interface Adding {
        void run() throws Exception;
    }

    private interface Working {
        void start(Recorder recorder) throws Exception;
    }

    private Driver(Peer peer) {
        this.peer = peer;
    }

    static void main(Peer peer, String[] words) throws Exception {
        Driver driver = new Driver(peer);
        driver.parse(words);
        peer.open(driver.url);
        System.out.println(driver.run(words[0]));
        // Whoever asked looks at the process and then closes its standard input.
        System.in.readAllBytes();
        Runtime.getRuntime().halt(0);
    }

    private void parse(String[] words) {
        for (int at = 1; at < words.length; at += 2) {
            String value = words[at + 1];
            switch (words[at]) {
                case "--url" -> url = value;
                case "--tasks" -> tasks = Integer.parseInt(value);
                case "--callers" -> callers = Integer.parseInt(value);
                case "--rate" -> rate = Integer.parseInt(value);
                case "--depth" -> depth = Integer.parseInt(value);
                default -> throw new IllegalArgumentException("no option " + words[at]);
            }
        }
    }

    private String run(String load) throws Exception {
        return switch (load) {
            case "fill" -> add(this::fill);
            case "add" -> add(this::addFromMany);
            case "drain" -> drain();
            case "cycle" -> work(peer::work, this::addFromMany);
            case "latency" -> work(peer::work, this::addByPlan);
            case "serve" -> work(peer::serve, () -> {});
            case "call" -> call();
            case "chain" -> chain();
            default -> throw new IllegalArgumentException("no load " + load);
        };
    }

    /** Adds without anybody who runs: as many as were added should be left. */
    private String add(Adding adding) throws Exception {
        begin();
        adding.run();
        double seconds = seconds();
        return added(seconds, peer.left());
    }

    private String drain() throws Exception {
        Recorder recorder = new Recorder(tasks * depth, this::addNext);
        begin();
        peer.work(recorder);
        recorder.await(peer);
        return recorder.answer(seconds());
    }

    /** Runs what is added meanwhile. */
    private String work(Working working, Adding adding) throws Exception {
        Recorder recorder = new Recorder(tasks * depth, this::addNext);
        working.start(recorder);
        Thread.sleep(SETTLE_MS);
        begin();
        adding.run();
        recorder.await(peer);
        return recorder.answer(seconds());
    }

    private String call() throws Exception {
        begin();
        addByPlan();
        // Another process runs them: how many are left says nothing.
        return added(seconds(), tasks);
    }

    private String chain() throws Exception {
        callers = CHAIN_CALLERS;
        data = IntStream.range(0, 15).mapToObj(Driver::item).collect(Collectors.joining(",", "[", "]"));
        return work(peer::work, this::addFromMany);
    }

    private static String item(int number) {
        return """
                {"id":%1$d,"kind":"payout","created":"2026-01-01T10:%1$02d:00Z","source":{"currency":"EUR",\
                "amount":1%1$02d.50},"target":{"currency":"GBP","account":"GB%1$014d"}}""".formatted(number);
    }

    /** As many numbers later as there are chains is the next one of the same chain. */
    private void addNext(Job job) {
        if (job.number() < tasks * (depth - 1)) {
            try {
                peer.add(Job.now(job.number() + tasks, data));
            } catch (Exception fault) {
                throw new IllegalStateException(fault);
            }
        }
    }

    private void fill() throws Exception {
        for (int first = 0; first < tasks; first += FILL_BATCH) {
            peer.fill(IntStream.range(first, Math.min(first + FILL_BATCH, tasks)).mapToObj(this::job).toList());
        }
    }

    /** By the plan and not by the last one: a slow add must not thin out the load. */
    private void addByPlan() throws Exception {
        long start = System.nanoTime();
        for (int number = 0; number < tasks; number++) {
            long due = start + 1_000_000_000L * number / rate;
            Thread.sleep(Math.max(0, (due - System.nanoTime()) / 1_000_000));
            peer.add(job(number));
        }
    }

    private void addFromMany() throws Exception {
        AtomicInteger next = new AtomicInteger();
        Callable<Void> caller = () -> {
            for (int number = next.getAndIncrement(); number < tasks; number = next.getAndIncrement()) {
                peer.add(job(number));
            }
            return null;
        };
        var threads = Executors.newFixedThreadPool(callers);
        List<Callable<Void>> all = new ArrayList<>();
        for (int at = 0; at < callers; at++) {
            all.add(caller);
        }
        for (Future<Void> one : threads.invokeAll(all)) {
            one.get();
        }
        threads.shutdown();
    }

    private Job job(int number) {
        return Job.now(number, data);
    }

    private void begin() {
        System.out.println("{\"began\":true}");
        began = System.nanoTime();
    }

    private double seconds() {
        return (System.nanoTime() - began) / 1e9;
    }

    private String added(double seconds, long left) {
        return "{\"tasks\":%d,\"seconds\":%s,\"missing\":%d,\"doubled\":%d}"
                .formatted(tasks, seconds, Math.max(0, tasks - left), Math.max(0, left - tasks));
    }
}
