import { Agent } from 'undici'

/** Connections of the shop's server. Explicit, since NODE_TLS_REJECT_UNAUTHORIZED changes the default. */
export const VERIFIED_AGENT = new Agent({ connect: { rejectUnauthorized: true } })
