import type { TimerClock } from './clock.ts'
import type { FaultBook } from './faults.ts'
import type { Link, WebhookTarget } from './link.ts'
import type { SandboxSite } from './sites.ts'
import type { WebhookSender } from './webhook-sender.ts'

/** A call to the interface, as the sandbox remembers it; without secrets, query and body. */
export type ApiCall = { method: string; path: string; at: string; appId: string | null }

/** All that one sandbox is made of; each route and each step works on this. */
export type World = {
  /** http://host:port, known once the server listens. */
  origin: string
  readonly sites: readonly SandboxSite[]
  readonly webhookSecret: string
  readonly defaultWebhook: WebhookTarget | undefined
  readonly webhookForm: 'flat' | 'nested'
  readonly paceMs: number
  readonly clock: TimerClock
  readonly sender: WebhookSender
  readonly links: Map<string, Link>
  readonly calls: ApiCall[]
  readonly faults: FaultBook
}
