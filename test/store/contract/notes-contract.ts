import { expect, it } from 'vitest'
import { MOST_NOTES } from '../../../src/domain/payments/payment-note.ts'
import { after, delivery, report, writtenNote } from './builders.ts'
import type { Fixture } from './store-contract.ts'

export function notesContract({ store }: Fixture): void {
  const write = (key: string, paymentId = 'PAY1', keyScope = 'ada', at = after(0)) =>
    writtenNote(store, { key, paymentId, keyScope, at })
  const notesOf = async (id: string) => (await store.payments.notes([id])).get(id) ?? []

  it('records a note once for a caller and a key, and lists the oldest first', async () => {
    await store.inbox.receive(delivery(report('pending')))
    const later = await write('second', 'PAY1', 'ada', after(2))
    const first = await write('first', 'PAY1', 'ada', after(1))
    const { outcome } = await write('first')
    expect(outcome).toEqual({ kind: 'earlier', command: first.command })
    const ofAnother = await write('first', 'PAY1', 'bob', after(3))
    expect(await notesOf('PAY1')).toEqual([first.note, later.note, ofAnother.note])
  })

  it('deletes a note for its author alone', async () => {
    const { note } = await write('n')
    expect(await store.notes.delete(note.id, 'bob')).toBeNull()
    expect(await store.notes.delete(note.id, 'ada')).toBe('PAY1')
    expect(await store.notes.delete(note.id, 'ada')).toBeNull()
    expect(await notesOf('PAY1')).toEqual([])
  })

  it('keeps a number of notes of one payment, also if they are written at once', async () => {
    const written = await Promise.all(Array.from({ length: MOST_NOTES + 2 }, (_, index) => write(`n${index}`)))
    const refused = written.filter(({ outcome }) => outcome.kind === 'too-many')
    expect(refused).toHaveLength(2)
    expect(await notesOf('PAY1')).toHaveLength(MOST_NOTES)
    expect((await write('other', 'PAY2')).outcome).toEqual({ kind: 'written' })
  })
}
