"""procrastinate: LISTEN/NOTIFY, many jobs at once, and done jobs deleted."""

import asyncio
import logging

from procrastinate import App, PsycopgConnector

from driver import main

CONCURRENCY = 20


class Procrastinate:
    async def open(self, url):
        logging.getLogger("procrastinate").setLevel(logging.ERROR)
        self.app = App(connector=PsycopgConnector(conninfo=url, min_size=4, max_size=20))
        self.hit = None

        @self.app.task(name="noop")
        async def noop(number, called_us):
            self.hit(number, called_us)

        self.noop = noop
        await self.app.open_async()
        # Its schema is applied once and not again.
        found = await self.query("select to_regclass('procrastinate_jobs') is not null as n")
        if not found:
            await self.app.schema_manager.apply_schema_async()

    async def fill(self, jobs):
        await self.noop.batch_defer_async(*jobs)

    async def add(self, job):
        await self.noop.defer_async(**job)

    async def work(self, hit):
        self.hit = hit
        self.worker = asyncio.create_task(
            self.app.run_worker_async(
                concurrency=CONCURRENCY, delete_jobs="always", install_signal_handlers=False
            )
        )

    async def left(self):
        return await self.query("select count(*) as n from procrastinate_jobs")

    async def query(self, text):
        return (await self.app.connector.execute_query_one_async(text))["n"]


if __name__ == "__main__":
    main(Procrastinate())
