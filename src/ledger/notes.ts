import type { Command } from '../domain/command.ts'
import { MOST_NOTES, type PaymentNote } from '../domain/payments/payment-note.ts'
import { commandLookup } from '../store/rows/command-rows.ts'
import type { Rows } from '../store/rows/rows.ts'

export type NoteWritten =
  | { readonly kind: 'written' }
  /** The same caller's earlier command with this key. */
  | { readonly kind: 'earlier'; readonly command: Command }
  | { readonly kind: 'too-many' }
  | { readonly kind: 'erased' }

/** Records a note with its command, which is settled by it. Changes nothing if the key is taken, or the payment takes no note. */
export function writeNote(rows: Rows, command: Command, note: PaymentNote): NoteWritten {
  rows.commands.want('id', command.id)
  rows.paymentNotes.want('id', note.id)
  rows.paymentNotes.want('paymentId', note.paymentId)
  rows.paymentPayers.want('id', note.paymentId)
  const earlier = rows.commands.first('key', commandLookup(command))
  if (earlier !== null) return { kind: 'earlier', command: earlier }
  if (rows.paymentPayers.first('id', note.paymentId)?.erased === true) return { kind: 'erased' }
  if (rows.paymentNotes.find('paymentId', note.paymentId).length >= MOST_NOTES) return { kind: 'too-many' }
  rows.commands.put(command)
  rows.paymentNotes.put(note)
  return { kind: 'written' }
}

/** Deletes a note of its author. Returns the id of its payment; null if the caller has no such note. */
export function deleteNote(rows: Rows, id: string, authorScope: string): string | null {
  const note = rows.paymentNotes.first('id', id)
  if (note === null || note.authorScope !== authorScope) return null
  rows.paymentNotes.remove(note)
  return note.paymentId
}
