// The program of the Go peer. ../README.md tells its command line and its answers.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"sync/atomic"
	"time"
)

const (
	// For a worker's listeners to come up before anything is added.
	settle    = 300 * time.Millisecond
	fillBatch = 1000
)

// Job is what a task carries: its number, and when its add was called.
type Job struct {
	Number   int   `json:"number"`
	CalledUs int64 `json:"called_us"`
}

// Answer is what the program saw.
type Answer struct {
	Tasks   int     `json:"tasks"`
	Seconds float64 `json:"seconds"`
	Missing int     `json:"missing"`
	Doubled int     `json:"doubled"`
	P50Us   *int64  `json:"p50_us,omitempty"`
	P99Us   *int64  `json:"p99_us,omitempty"`
}

type command struct {
	load, url            string
	tasks, callers, rate int
}

func main() {
	ctx := context.Background()
	asked := parse(os.Args[1:])
	peer, err := Open(ctx, asked.url)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := run(ctx, peer, asked)
	if err != nil {
		log.Fatal(err)
	}
	say(answer)
	// Whoever asked looks at the process and then closes its standard input.
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func parse(words []string) command {
	asked, flags := command{load: words[0]}, flag.NewFlagSet("peer", flag.ExitOnError)
	flags.StringVar(&asked.url, "url", "", "")
	flags.IntVar(&asked.tasks, "tasks", 0, "")
	flags.IntVar(&asked.callers, "callers", 1, "")
	flags.IntVar(&asked.rate, "rate", 1, "")
	_ = flags.Parse(words[1:])
	return asked
}

func run(ctx context.Context, peer *Peer, asked command) (Answer, error) {
	switch asked.load {
	case "fill":
		return add(ctx, peer, asked.tasks, func() error { return fill(ctx, peer, asked.tasks) })
	case "add":
		return add(ctx, peer, asked.tasks, func() error { return addFromMany(ctx, peer, asked) })
	case "drain":
		return drain(ctx, peer, asked.tasks)
	case "cycle":
		return work(ctx, peer, asked.tasks, func() error { return addFromMany(ctx, peer, asked) })
	case "latency":
		return work(ctx, peer, asked.tasks, func() error { return addByPlan(ctx, peer, asked) })
	case "serve":
		return work(ctx, peer, asked.tasks, func() error { return nil })
	case "call":
		// Another process runs them: how many are left says nothing.
		began := begin()
		err := addByPlan(ctx, peer, asked)
		return Answer{Tasks: asked.tasks, Seconds: time.Since(began).Seconds()}, err
	}
	return Answer{}, fmt.Errorf("no load %q", asked.load)
}

// Adds without anybody who runs: as many as were added should be left.
func add(ctx context.Context, peer *Peer, tasks int, adding func() error) (Answer, error) {
	began := begin()
	if err := adding(); err != nil {
		return Answer{}, err
	}
	seconds := time.Since(began).Seconds()
	left, err := peer.Left(ctx)
	return Answer{Tasks: tasks, Seconds: seconds, Missing: max(0, tasks-left), Doubled: max(0, left-tasks)}, err
}

func drain(ctx context.Context, peer *Peer, tasks int) (Answer, error) {
	recorder := newRecorder(tasks)
	began := begin()
	if err := peer.Work(ctx, recorder.hit); err != nil {
		return Answer{}, err
	}
	err := recorder.wait(ctx, peer)
	return recorder.answer(began), err
}

// Runs what is added meanwhile.
func work(ctx context.Context, peer *Peer, tasks int, adding func() error) (Answer, error) {
	recorder := newRecorder(tasks)
	if err := peer.Work(ctx, recorder.hit); err != nil {
		return Answer{}, err
	}
	time.Sleep(settle)
	began := begin()
	if err := adding(); err != nil {
		return Answer{}, err
	}
	err := recorder.wait(ctx, peer)
	return recorder.answer(began), err
}

func fill(ctx context.Context, peer *Peer, tasks int) error {
	for first := 0; first < tasks; first += fillBatch {
		jobs := make([]Job, min(fillBatch, tasks-first))
		for at := range jobs {
			jobs[at] = newJob(first + at)
		}
		if err := peer.Fill(ctx, jobs); err != nil {
			return err
		}
	}
	return nil
}

// By the plan and not by the last one: a slow add must not thin out the load.
func addByPlan(ctx context.Context, peer *Peer, asked command) error {
	began := time.Now()
	for number := range asked.tasks {
		time.Sleep(time.Until(began.Add(time.Second * time.Duration(number) / time.Duration(asked.rate))))
		if err := peer.Add(ctx, newJob(number)); err != nil {
			return err
		}
	}
	return nil
}

func addFromMany(ctx context.Context, peer *Peer, asked command) error {
	var next atomic.Int64
	faults := make(chan error)
	for range asked.callers {
		go func() {
			for {
				number := int(next.Add(1)) - 1
				if number >= asked.tasks {
					faults <- nil
					return
				}
				if err := peer.Add(ctx, newJob(number)); err != nil {
					faults <- err
					return
				}
			}
		}()
	}
	var fault error
	for range asked.callers {
		if err := <-faults; err != nil {
			fault = err
		}
	}
	return fault
}

func newJob(number int) Job { return Job{number, time.Now().UnixMicro()} }

func begin() time.Time {
	say(map[string]bool{"began": true})
	return time.Now()
}

func say(line any) {
	if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
		log.Fatal(err)
	}
}
