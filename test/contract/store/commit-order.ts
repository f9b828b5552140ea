import { setTimeout } from 'node:timers/promises'
import type { Store } from '../../../src/store/store.ts'
import { delivery, report } from './builders.ts'

/** Many writers, each on the next node, that append so many events together; `run` tells their payments from others. */
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

/** Makes some transactions stand still after they have taken their position. */
export const DAWDLE = `
  CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN IF random() < 0.02 THEN PERFORM pg_sleep(random() * 0.02); END IF; RETURN NEW; END $$;
  CREATE TRIGGER dawdle AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION dawdle();`

/** Follows the log from page to page, by its last position, up to the end; throws where a position is skipped. */
export async function followWithoutGap(
  store: Store,
  { from, to, pauseMs = 2 }: { from: number; to: number; pauseMs?: number },
): Promise<void> {
  let last = from
  while (last < to) {
    for (const { position } of await store.log.read(last, 1000)) {
      if (position !== last + 1) throw new Error(`After position ${last} a reader has seen ${position}.`)
      last = position
    }
    // The readers must not take the machine from the writers.
    await setTimeout(pauseMs)
  }
}
