package peers;

import java.util.List;

/** A library that is measured: how it adds, runs and counts. */
interface Peer {
    /** Connects, and makes its tables if they are not there. */
    void open(String url) throws Exception;

    /** Adds many tasks in the fastest way that it has. */
    void fill(List<Job> jobs) throws Exception;

    /** Adds one task and returns when it is committed. */
    void add(Job job) throws Exception;

    /** Starts a worker that tells the recorder of every task; it runs until the program ends. */
    void work(Recorder recorder) throws Exception;

    /** The same for tasks that another process adds. */
    default void serve(Recorder recorder) throws Exception {
        work(recorder);
    }

    /** Tasks that are not done. */
    long left() throws Exception;
}
