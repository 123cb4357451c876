package peers;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** db-scheduler: lock-and-fetch with the threads and limits of its own benchmark; tasks run at once where they are added. */
final class DbScheduler implements Peer {
    private static final int THREADS = 50;
    private static final String TABLES = """
            create table if not exists scheduled_tasks (
                task_name text not null,
                task_instance text not null,
                task_data bytea,
                execution_time timestamp with time zone not null,
                picked boolean not null,
                picked_by text,
                last_success timestamp with time zone,
                last_failure timestamp with time zone,
                consecutive_failures int,
                last_heartbeat timestamp with time zone,
                version bigint not null,
                priority smallint,
                primary key (task_name, task_instance)
            );
            create index if not exists execution_time_idx on scheduled_tasks (execution_time);
            create index if not exists last_heartbeat_idx on scheduled_tasks (last_heartbeat);
            create index if not exists priority_execution_time_idx
                on scheduled_tasks (priority desc, execution_time asc)""";

    private final OneTimeTask<Job> task =
            Tasks.oneTime("noop", Job.class).execute((instance, context) -> recorder().hit(instance.getData()));
    private HikariDataSource pool;
    private SchedulerClient client;
    private volatile Recorder recorder;

    public static void main(String[] words) throws Exception {
        Driver.main(new DbScheduler(), words);
    }

    private Recorder recorder() {
        return recorder;
    }

    @Override
    public void open(String url) throws Exception {
        pool = Database.open(url, 20);
        Database.execute(pool, TABLES);
        client = SchedulerClient.Builder.create(pool, task).build();
    }

    @Override
    public void fill(List<Job> jobs) {
        List<TaskInstance<?>> instances = jobs.stream().<TaskInstance<?>>map(this::instance).toList();
        client.scheduleBatch(instances, Instant.now());
    }

    @Override
    public void add(Job job) {
        client.scheduleIfNotExists(instance(job), Instant.now());
    }

    private TaskInstance<Job> instance(Job job) {
        return task.instance(Integer.toString(job.number()), job);
    }

    @Override
    public void work(Recorder recorder) {
        this.recorder = recorder;
        Scheduler scheduler = Scheduler.create(pool, task)
                .threads(THREADS)
                .pollUsingLockAndFetch(0.5, 4.0)
                .pollingInterval(Duration.ofMillis(50))
                .enableImmediateExecution()
                .build();
        scheduler.start();
        // Only its own client tells it what to run at once.
        client = scheduler;
    }

    @Override
    public long left() throws Exception {
        return Database.count(pool, "select count(*) from scheduled_tasks");
    }
}
