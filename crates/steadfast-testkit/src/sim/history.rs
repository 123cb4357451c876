//! What really happened, seen at the store and not by the workers, and whether it was allowed.

use std::collections::{BTreeMap, BTreeSet};
use steadfast_core::seam::Finished;
use steadfast_core::{Fence, Grant, Status, Task, TaskId};

/// The record of one run of the simulator.
#[derive(Debug, Default)]
pub struct History {
    /// Adds that a caller was told of.
    pub acknowledged: BTreeSet<TaskId>,
    /// Every grant that the store gave.
    grants: BTreeSet<(TaskId, Grant)>,
    last_grant: BTreeMap<TaskId, Grant>,
    /// How often each task was accepted as done.
    done: BTreeMap<TaskId, usize>,
    /// Tasks whose effects were carried out.
    effects: BTreeSet<TaskId>,
    /// What runs where.
    running: BTreeSet<(u32, TaskId)>,
    /// What was not allowed.
    pub faults: Vec<String>,
}

/// Things that must happen at least once over many seeds, or the simulator shows less than it says.
#[derive(Debug, Clone, Copy, Default)]
#[expect(missing_docs, reason = "each is the name of the event that it counts")]
pub struct Sometimes {
    pub crashes: usize,
    pub freezes: usize,
    pub jumps: usize,
    pub errors_before: usize,
    pub errors_after: usize,
    pub hints_lost: usize,
    pub births: usize,
    pub grabs: usize,
    pub settles: usize,
    pub reaps: usize,
    pub finishes_lost: usize,
    pub given_back: usize,
    pub recalls: usize,
    pub drains: usize,
    pub cancels: usize,
    pub cluster_full: usize,
    pub commits: usize,
    pub ejections: usize,
    pub ejections_unknown: usize,
}

impl History {
    /// The store gave a task to a worker.
    pub(crate) fn granted(&mut self, task: &Task) {
        if !self.grants.insert((task.id, task.grant)) {
            self.faults.push(format!("grant {} of task {} was given twice", task.grant, task.id));
        }
        let last = self.last_grant.insert(task.id, task.grant);
        if last.is_some_and(|last| last >= task.grant) {
            self.faults.push(format!("grant {} of task {} does not rise", task.grant, task.id));
        }
        if self.done.contains_key(&task.id) {
            self.faults.push(format!("task {} was granted after it was done", task.id));
        }
    }

    /// The store answered a finish.
    pub(crate) fn finished(&mut self, fence: Fence, answer: Finished) {
        let Finished::Accepted { status, .. } = answer else { return };
        let task = fence.task;
        if self.last_grant.get(&task) != Some(&fence.grant) {
            self.faults.push(format!("a finish of task {task} was accepted from an old grant"));
        }
        if status == Status::Done {
            let done = self.done.entry(task).or_default();
            *done += 1;
            if *done > 1 {
                self.faults.push(format!("task {task} was done {done} times"));
            }
        }
    }

    /// The effects of a task were carried out.
    pub(crate) fn effect(&mut self, task: TaskId) {
        if !self.effects.insert(task) {
            self.faults.push(format!("the effects of task {task} were carried out twice"));
        }
    }

    /// So many tasks run under a limit of the cluster.
    pub(crate) fn counted(&mut self, running: u64, max: u32) {
        if running > u64::from(max) {
            self.faults.push(format!("{running} tasks run under a cluster limit of {max}"));
        }
    }

    /// A handler began in a process.
    pub(crate) fn entered(&mut self, node: u32, task: TaskId) {
        if !self.running.insert((node, task)) {
            self.faults.push(format!("task {task} runs twice at once in node {node}"));
        }
    }

    /// A handler ended there, or was dropped.
    pub(crate) fn left(&mut self, node: u32, task: TaskId) {
        self.running.remove(&(node, task));
    }

    /// Acknowledged tasks that did not end.
    pub(crate) fn lost(&self, ended: &BTreeSet<TaskId>) -> Vec<TaskId> {
        self.acknowledged.difference(ended).copied().collect()
    }
}

impl Sometimes {
    /// Adds what another run saw.
    pub fn add(&mut self, other: &Self) {
        let Self { crashes, freezes, jumps, errors_before, errors_after, hints_lost, births, .. } = other;
        self.crashes += crashes;
        self.freezes += freezes;
        self.jumps += jumps;
        self.errors_before += errors_before;
        self.errors_after += errors_after;
        self.hints_lost += hints_lost;
        self.births += births;
        let Self {
            grabs,
            settles,
            reaps,
            finishes_lost,
            given_back,
            recalls,
            drains,
            cancels,
            cluster_full,
            commits,
            ejections,
            ejections_unknown,
            ..
        } = other;
        self.grabs += grabs;
        self.settles += settles;
        self.reaps += reaps;
        self.finishes_lost += finishes_lost;
        self.given_back += given_back;
        self.recalls += recalls;
        self.drains += drains;
        self.cancels += cancels;
        self.cluster_full += cluster_full;
        self.commits += commits;
        self.ejections += ejections;
        self.ejections_unknown += ejections_unknown;
    }

    /// The events that never happened.
    pub fn never(&self) -> Vec<&'static str> {
        [
            ("crashes", self.crashes),
            ("freezes", self.freezes),
            ("jumps", self.jumps),
            ("errors before", self.errors_before),
            ("errors after", self.errors_after),
            ("hints lost", self.hints_lost),
            ("births", self.births),
            ("grabs", self.grabs),
            ("settles", self.settles),
            ("reaps", self.reaps),
            ("finishes lost", self.finishes_lost),
            ("given back", self.given_back),
            ("recalls", self.recalls),
            ("drains", self.drains),
            ("cancels", self.cancels),
            ("cluster full", self.cluster_full),
            ("commits", self.commits),
            ("ejections", self.ejections),
            ("ejections unknown", self.ejections_unknown),
        ]
        .into_iter()
        .filter_map(|(name, n)| (n == 0).then_some(name))
        .collect()
    }
}
