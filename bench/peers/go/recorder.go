package main

import (
	"context"
	"slices"
	"sync/atomic"
	"time"
)

// A worker that has run nothing for so long will not run the rest.
const patience = 10 * time.Second

// Recorder knows who ran, how often, and how long each had waited.
type Recorder struct {
	hits     atomic.Int64
	runs     []atomic.Int32
	waitedUs []atomic.Int64
}

func newRecorder(tasks int) *Recorder {
	return &Recorder{runs: make([]atomic.Int32, tasks), waitedUs: make([]atomic.Int64, tasks)}
}

func (recorder *Recorder) hit(job Job) {
	recorder.waitedUs[job.Number].Store(time.Now().UnixMicro() - job.CalledUs)
	recorder.runs[job.Number].Add(1)
	recorder.hits.Add(1)
}

// Until all have run and none is left, or nothing moves any more: the answer tells which.
func (recorder *Recorder) wait(ctx context.Context, peer *Peer) error {
	tasks, seen, moved := int64(len(recorder.runs)), int64(0), time.Now()
	for recorder.hits.Load() < tasks && time.Since(moved) < patience {
		if hits := recorder.hits.Load(); hits > seen {
			seen, moved = hits, time.Now()
		}
		time.Sleep(time.Millisecond)
	}
	for recorder.hits.Load() >= tasks && time.Since(moved) < patience {
		left, err := peer.Left(ctx)
		if err != nil || left == 0 {
			return err
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

func (recorder *Recorder) answer(began time.Time) Answer {
	answer := Answer{Tasks: len(recorder.runs), Seconds: time.Since(began).Seconds()}
	waited := make([]int64, len(recorder.runs))
	for at := range recorder.runs {
		waited[at] = recorder.waitedUs[at].Load()
		switch runs := recorder.runs[at].Load(); {
		case runs == 0:
			answer.Missing++
		case runs > 1:
			answer.Doubled++
		}
	}
	slices.Sort(waited)
	percentile := func(percent int) *int64 {
		return &waited[max(1, (len(waited)*percent+99)/100)-1]
	}
	answer.P50Us, answer.P99Us = percentile(50), percentile(99)
	return answer
}
