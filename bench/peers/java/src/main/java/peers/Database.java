package peers;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.net.URI;
import java.sql.SQLException;

/** A pool of connections, and what a peer asks through it beside its library. */
final class Database {
    private Database() {}

    /** From an address as libpq writes it. */
    static HikariDataSource open(String url, int connections) {
        URI address = URI.create(url);
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:postgresql://%s:%d%s%s"
                .formatted(address.getHost(), address.getPort(), address.getPath(), options(address)));
        config.setUsername(address.getUserInfo());
        config.setMaximumPoolSize(connections);
        return new HikariDataSource(config);
    }

    /** Left out, the driver would encrypt wherever the server can. */
    private static String options(URI address) {
        return address.getQuery() == null ? "" : "?" + address.getQuery();
    }

    static void execute(HikariDataSource pool, String sql) throws SQLException {
        try (var connection = pool.getConnection(); var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static long count(HikariDataSource pool, String sql) throws SQLException {
        try (var connection = pool.getConnection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
