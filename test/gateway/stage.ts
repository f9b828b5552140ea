import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { composeServices } from '@theguild/federation-composition'
import { parse } from 'graphql'
import { freePort } from '../support/free-port.ts'
import { askAt, startNetwork, type Network, type NetworkOptions } from '../support/network.ts'
import { openStream, type Stream, type StreamOptions } from '../support/stream.ts'
import { startCustomers, startOrders } from './foreign-subgraphs.ts'
import { startGateway, type GatewayProcess } from './gateway-process.ts'
import { startRecordingProxy, type RecordingProxy } from './recording-proxy.ts'

export const ROUTER_SECRET = 'secret-of-the-router-1'

/** The app and the sandbox, two foreign subgraphs, and a gateway in front of all of them. */
export type Stage = {
  readonly network: Network
  /** All requests of the gateway to our subgraph go through this proxy. */
  readonly proxy: RecordingProxy
  readonly url: string
  /** Sends an operation through the gateway. */
  readonly ask: Network['ask']
  /** Opens a subscription through the gateway, with the official graphql-ws client. */
  follow(query: string, variables?: Record<string, unknown>, options?: StreamOptions): Promise<Stream>
  gateway(): GatewayProcess
  killGateway(): Promise<void>
  /** Starts the gateway again, on the same port. */
  restartGateway(): Promise<void>
  close(): Promise<void>
}

export type StageOptions = NetworkOptions & { readonly gatewayEnv?: Readonly<Record<string, string>> }

export async function startStage({ gatewayEnv = {}, ...options }: StageOptions = {}): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = { ROUTER_SECRETS: ROUTER_SECRET, CALLBACK_ORIGINS: url, ...options.env }
  const network = await startNetwork({ ...options, env })
  const proxy = await startRecordingProxy(() => network.app.url)
  const foreign = await Promise.all([startOrders(), startCustomers()])
  const supergraph = join(folder, 'supergraph.graphql')
  const payments = { name: 'payments', url: `${proxy.url}/graphql`, sdl: await sdlOf(network) }
  writeFileSync(supergraph, composed([payments, ...foreign]))

  const ofGateway = { ROUTER_SECRET, CALLBACK_URL: `${url}/callback`, ...gatewayEnv }
  const start = () => startGateway({ port, supergraph, env: ofGateway })
  let gateway = await start()
  return {
    network,
    proxy,
    url,
    ask: askAt(() => url),
    follow: async (query, variables = {}, streamOptions = {}) =>
      openStream(url, { query, variables }, { token: await network.token(), ...streamOptions }),
    gateway: () => gateway,
    killGateway: () => gateway.kill(),
    async restartGateway() {
      gateway = await start()
    },
    async close() {
      await gateway.kill()
      await Promise.all([proxy.close(), network.close(), ...foreign.map((subgraph) => subgraph.close())])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type Composable = { readonly name: string; readonly url: string; readonly sdl: string }

/** Returns the supergraph of these subgraphs, as the composer prints it. Throws if it has errors. */
function composed(subgraphs: readonly Composable[]): string {
  const result = composeServices(subgraphs.map(({ name, url, sdl }) => ({ name, url, typeDefs: parse(sdl) })))
  if (result.errors !== undefined) throw new Error(result.errors.map(({ message }) => message).join('\n'))
  return result.supergraphSdl
}

/** Returns the subgraph's own schema, as a composer receives it. */
async function sdlOf(network: Network): Promise<string> {
  const headers = { 'x-router-secret': ROUTER_SECRET }
  const { data } = await network.ask<{ _service: { sdl: string } }>('{ _service { sdl } }', {}, { headers })
  return data._service.sdl
}
