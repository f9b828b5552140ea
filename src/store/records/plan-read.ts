import type { Db } from '../unit.ts'
import type { Subject } from './read-subjects.ts'

/** Sets when a subject is read next (milliseconds since the epoch, null for never), and how many reads failed in a row. */
export async function planRead(
  db: Db,
  { payment, link }: Pick<Subject, 'payment' | 'link'>,
  { dueAt, failures }: { dueAt: number | null; failures: number },
): Promise<void> {
  const plan = { read_due_at: dueAt, read_failures: failures }
  if (payment !== null) await db.updateTable('payments').set(plan).where('id', '=', payment.id).execute()
  else if (link !== null) await db.updateTable('links').set(plan).where('id', '=', link.id).execute()
}
