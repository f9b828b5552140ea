import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

/** A proxy of a PostgreSQL server that can cut a connection at the moment of a commit. */
export type PostgresProxy = TcpProxy & {
  /**
   * Cuts the connection whose transaction contains a text at its COMMIT: before the server receives the COMMIT, or after the server has
   * answered and before the client receives the answer.
   */
  cutCommitOf(text: string, when: Moment): void
  /** Number of commits that were cut so far. */
  readonly cuts: number
}

type Moment = 'before' | 'after'

/** The frame of a simple query: its type, its length with itself, the text, and a zero byte (protocol version 3.0). */
const COMMIT = Buffer.from('Q\0\0\0\x0bCOMMIT\0', 'latin1')

export async function startPostgresProxy(target: { host: string; port: number }): Promise<PostgresProxy> {
  let armed: { readonly text: string; readonly when: Moment } | null = null
  let cuts = 0
  const proxy = await startTcpProxy(target, (client, upstream) => {
    const cut = () => {
      cuts += 1
      client.destroy()
      upstream.destroy()
    }
    let heard = ''
    let dropAnswer = false
    client.on('data', (chunk) => {
      if (armed !== null && chunk.includes(armed.text)) heard = armed.text
      if (armed !== null && heard === armed.text && chunk.includes(COMMIT)) {
        const { when } = armed
        armed = null
        if (when === 'before') return cut()
        dropAnswer = true
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (dropAnswer) cut()
      else client.write(chunk)
    })
  })
  return {
    ...proxy,
    cutCommitOf(text, when) {
      armed = { text, when }
    },
    get cuts() {
      return cuts
    },
  }
}
