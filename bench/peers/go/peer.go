package main

import (
	"context"
	"log/slog"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// Peer is River with the settings of its own `river bench`; for latency only the pauses between fetches matter.
type Peer struct {
	pool   *pgxpool.Pool
	client *river.Client[pgx.Tx]
	hit    func(Job)
}

// Kind names the tasks.
func (Job) Kind() string { return "noop" }

type noop struct {
	river.WorkerDefaults[Job]
	peer *Peer
}

func (worker *noop) Work(_ context.Context, job *river.Job[Job]) error {
	worker.peer.hit(job.Args)
	return nil
}

// Open connects, and makes the tables if they are not there.
func Open(ctx context.Context, url string) (*Peer, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.MaxConns = 20
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	driver := riverpgxv5.New(pool)
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	migrator, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: logger})
	if err != nil {
		return nil, err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return nil, err
	}
	peer := &Peer{pool: pool}
	workers := river.NewWorkers()
	river.AddWorker(workers, &noop{peer: peer})
	peer.client, err = river.NewClient(driver, &river.Config{
		FetchCooldown:     2 * time.Millisecond,
		FetchPollInterval: 20 * time.Millisecond,
		Logger:            logger,
		Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 2_000}},
		Workers:           workers,
	})
	return peer, err
}

// Fill adds many tasks in the fastest way that it has.
func (peer *Peer) Fill(ctx context.Context, jobs []Job) error {
	params := make([]river.InsertManyParams, len(jobs))
	for at, job := range jobs {
		params[at] = river.InsertManyParams{Args: job}
	}
	_, err := peer.client.InsertManyFast(ctx, params)
	return err
}

// Add adds one task and returns when it is committed.
func (peer *Peer) Add(ctx context.Context, job Job) error {
	_, err := peer.client.Insert(ctx, job, nil)
	return err
}

// Work starts a worker that runs until the program ends.
func (peer *Peer) Work(ctx context.Context, hit func(Job)) error {
	peer.hit = hit
	return peer.client.Start(ctx)
}

// Left counts the tasks that are not done.
func (peer *Peer) Left(ctx context.Context) (int, error) {
	var left int
	err := peer.pool.QueryRow(ctx, "select count(*) from river_job where state <> 'completed'").Scan(&left)
	return left, err
}
