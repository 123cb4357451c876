package peers;

import com.zaxxer.hikari.HikariDataSource;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import org.killbill.CreatorName;
import org.killbill.bus.DefaultPersistentBus;
import org.killbill.bus.api.BusEvent;
import org.killbill.bus.api.PersistentBusConfig;
import org.killbill.bus.dao.BusEventModelDao;
import org.killbill.clock.DefaultClock;
import org.killbill.commons.eventbus.AllowConcurrentEvents;
import org.killbill.commons.eventbus.Subscribe;
import org.killbill.commons.jdbi.notification.DatabaseTransactionNotificationApi;
import org.killbill.commons.jdbi.transaction.NotificationTransactionHandler;
import org.killbill.commons.metrics.impl.NoOpMetricRegistry;
import org.killbill.queue.InTransaction;
import org.killbill.queue.QueueObjectMapper;
import org.skife.config.AugmentedConfigurationObjectFactory;

/** killbill-queue's persistent bus: what it posts it hands to itself after the commit, what others post it polls for. */
final class KillbillQueue implements Peer {
    private HikariDataSource pool;
    private DefaultPersistentBus bus;
    private volatile Recorder recorder;

    /** A task as the bus keeps it. */
    record Posted(int number, long calledUs, String data) implements BusEvent {
        @Override
        public Long getSearchKey1() {
            return null;
        }

        @Override
        public Long getSearchKey2() {
            return null;
        }

        @Override
        public UUID getUserToken() {
            return null;
        }
    }

    public static void main(String[] words) throws Exception {
        Driver.main(new KillbillQueue(), words);
    }

    @Override
    public void open(String url) throws Exception {
        pool = Database.open(url, 20);
        if (Database.count(pool, "select count(*) from pg_tables where tablename = 'bus_events'") == 0) {
            makeTables();
        }
        bus = bus("STICKY_EVENTS");
    }

    /** From its own statements, which need a name for a type that PostgreSQL calls otherwise. */
    private void makeTables() throws Exception {
        Database.execute(pool, "create domain datetime as timestamp");
        try (var tables = DefaultPersistentBus.class.getResourceAsStream("/org/killbill/queue/ddl.sql")) {
            Database.execute(pool, new String(tables.readAllBytes(), StandardCharsets.UTF_8));
        }
        // As Kill Bill itself has them: the 2,048 letters of these statements are not enough for chains.
        Database.execute(pool, "alter table bus_events alter event_json type text");
        Database.execute(pool, "alter table bus_events_history alter event_json type text");
    }

    private DefaultPersistentBus bus(String mode) {
        Properties settings = new Properties();
        set(settings, "queue.mode", mode);
        set(settings, "lifecycle.complete.nbThreads", "8");
        set(settings, "claimed", "100");
        set(settings, "sleep", "1");
        var config = new AugmentedConfigurationObjectFactory(settings)
                .buildWithReplacements(PersistentBusConfig.class, Map.of("instanceName", "main"));
        // Only these two together tell the bus of its own commits.
        var commits = new DatabaseTransactionNotificationApi();
        var dbi = InTransaction.buildDDBI(pool);
        dbi.setTransactionHandler(new NotificationTransactionHandler(commits));
        return new DefaultPersistentBus(dbi, new DefaultClock(), config, new NoOpMetricRegistry(), commits);
    }

    private static void set(Properties settings, String name, String value) {
        settings.setProperty("org.killbill.persistent.bus.main." + name, value);
    }

    /** Past the bus: it posts one by one only. */
    @Override
    public void fill(List<Job> jobs) throws Exception {
        List<BusEventModelDao> entries = new ArrayList<>();
        for (Job job : jobs) {
            String json = QueueObjectMapper.get().writeValueAsString(posted(job));
            entries.add(new BusEventModelDao(
                    CreatorName.get(), bus.getClock().getUTCNow(), Posted.class.getName(), json, null, null, null));
        }
        bus.getDao().getSqlDao().insertEntries(entries, bus.getConfig().getTableName());
    }

    @Override
    public void add(Job job) throws Exception {
        initialized().post(posted(job));
    }

    /** Before that it drops what is posted, with no more than a warning, and nobody can register. */
    private DefaultPersistentBus initialized() {
        bus.initQueue();
        return bus;
    }

    private static Posted posted(Job job) {
        return new Posted(job.number(), job.calledUs(), job.data());
    }

    @Override
    public void work(Recorder recorder) throws Exception {
        this.recorder = recorder;
        initialized().register(this);
        bus.startQueue();
    }

    /** It hears of no commits but its own. */
    @Override
    public void serve(Recorder recorder) throws Exception {
        bus = bus("POLLING");
        work(recorder);
    }

    @AllowConcurrentEvents
    @Subscribe
    public void hit(Posted posted) {
        recorder.hit(new Job(posted.number(), posted.calledUs(), posted.data()));
    }

    @Override
    public long left() throws Exception {
        return Database.count(pool, "select count(*) from bus_events");
    }
}
