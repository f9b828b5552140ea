import type { StreamAnswer } from '../../graphql/engine/request-outcome.ts'

/** How the results of a stream are written into one response. */
export type Framing = {
  readonly contentType: string
  /** Written before the first result. */
  readonly opening: string
  /** The heartbeat of an idle stream. */
  readonly keepAlive: string
  readonly answer: (answer: StreamAnswer) => string
  /** The end of a completed stream. */
  readonly completion: string
  /** The end of an interrupted stream, with its errors as a JSON list. */
  readonly interruption: (errors: string) => string
  /** Milliseconds between the last bytes and the end of the response. */
  readonly pauseMs: number
}
