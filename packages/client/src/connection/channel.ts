/** A queue of values between a producer and an async consumer. */
export type Channel<Value> = {
  push(value: Value): void
  /** Ends the channel. With a reason, the next take after the last value rejects with it. */
  end(reason?: Error): void
  /** Stops consuming and discards queued values. */
  drop(): void
  take(): Promise<IteratorResult<Value, undefined>>
}

const DONE = { done: true, value: undefined } as const

type Taker<Value> = {
  readonly resolve: (result: IteratorResult<Value, undefined>) => void
  readonly reject: (reason: Error) => void
}

export function createChannel<Value>(): Channel<Value> {
  let waiting: Value[] = []
  const takers: Taker<Value>[] = []
  let over = false
  let failure: Error | null = null

  const finish = () => {
    over = true
    for (const { resolve, reject } of takers.splice(0)) {
      if (failure === null) resolve(DONE)
      else reject(failure)
      failure = null
    }
  }
  return {
    push(value) {
      if (over) return
      const taker = takers.shift()
      if (taker === undefined) waiting.push(value)
      else taker.resolve({ done: false, value })
    },
    end(reason) {
      if (over) return
      failure = reason ?? null
      finish()
    },
    drop() {
      waiting = []
      failure = null
      finish()
    },
    take() {
      const [value, ...rest] = waiting
      if (value !== undefined) {
        waiting = rest
        return Promise.resolve({ done: false, value })
      }
      if (!over) return new Promise((resolve, reject) => takers.push({ resolve, reject }))
      const reason = failure
      failure = null
      return reason === null ? Promise.resolve(DONE) : Promise.reject(reason)
    },
  }
}
