import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy.ts'
import { createOwnServer, type OwnServer } from '../support/postgres-server.ts'
import { type PostgresServer, serverAt } from '../support/postgres.ts'

/** A PostgreSQL server behind one address, which another server can take over. */
export type ReplaceableServer = {
  /** The server by the address that stays. */
  readonly server: PostgresServer
  /** The server that answers there now. */
  primary(): OwnServer
  /** Cuts the connection of the next commit, after the server has answered and before a node hears of it. */
  cutCommit(): void
  /** Number of commits that were cut so far. */
  readonly cuts: number
  /** Kills the server, and has a synchronous standby take over. */
  failOver(): Promise<void>
  /** The same with an asynchronous standby, which lacks what is committed while `isBehind` runs. */
  failOverToOneBehind(isBehind: () => Promise<void>): Promise<void>
  remove(): Promise<void>
}

export async function startReplaceableServer(): Promise<ReplaceableServer> {
  let primary = await createOwnServer()
  const target = { host: '127.0.0.1', port: portOf(primary) }
  const proxy: PostgresProxy = await startPostgresProxy(target)
  const replaceBy = async (standby: OwnServer): Promise<void> => {
    await primary.aim()()
    await standby.start()
    await standby.promote()
    target.port = portOf(standby)
    await primary.remove()
    primary = standby
  }
  return {
    server: serverAt(proxy.through(primary.address)),
    primary: () => primary,
    cutCommit: () => proxy.cutCommitOf('', 'after'),
    get cuts() {
      return proxy.cuts
    },
    failOver: async () => replaceBy(await primary.createStandby()),
    async failOverToOneBehind(isBehind) {
      const standby = await primary.createStandby()
      await standby.stop()
      await primary.dropStandby()
      await isBehind()
      await replaceBy(standby)
    },
    async remove() {
      await proxy.close()
      await primary.remove()
    },
  }
}

function portOf({ address }: OwnServer): number {
  return Number(new URL(address).port)
}
