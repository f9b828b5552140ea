import { setTimeout } from 'node:timers/promises'
import type { Store } from '../../../src/ledger/store.ts'
import { delivery, report } from './builders.ts'

/** Appends `count` events through concurrent writers, which are spread over the nodes; `run` begins the ids of their payments. */
export async function writeInParallel(
  nodes: readonly Store[],
  { writers, count, run }: { writers: number; count: number; run: string },
): Promise<void> {
  let next = 0
  const write = async (node: Store): Promise<void> => {
    while (next < count) await node.inbox.receive(delivery(report('pending', { paymentId: `${run}-${next++}` })))
  }
  await Promise.all(Array.from({ length: writers }, (_, n) => write(nodes[n % nodes.length] as Store)))
}

/** Makes some transactions wait after they have taken their position. */
export const DAWDLE = `
  CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN IF random() < 0.02 THEN PERFORM pg_sleep(random() * 0.02); END IF; RETURN NEW; END $$;
  CREATE TRIGGER dawdle AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION dawdle();`

/** Follows the log in pages, each after the last position of the one before, up to `to`. Throws if a position is skipped. */
export async function followWithoutGap(
  store: Store,
  { from, to, pauseMs = 2 }: { from: number; to: number; pauseMs?: number },
): Promise<void> {
  let last = from
  while (last < to) {
    for (const { position } of (await store.log.read(last, 1000)).events) {
      if (position !== last + 1) throw new Error(`After position ${last} a reader has seen ${position}.`)
      last = position
    }
    // Leaves CPU time for the writers.
    await setTimeout(pauseMs)
  }
}
