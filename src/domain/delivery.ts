import type { Disposition } from './payment.ts'

/** A webhook as it came in, and what became of it. */
export type Delivery = {
  readonly id: string
  /** Position in the order of first arrival. */
  readonly number: number
  /** Payment or agreement id, as the body names it. */
  readonly subjectId: string | null
  readonly statusRaw: string | null
  readonly disposition: Disposition
  /** How often the same bytes came. */
  readonly attempts: number
  readonly firstReceivedAt: string
  readonly lastReceivedAt: string
  /** The event that it caused. */
  readonly eventId: string | null
}
