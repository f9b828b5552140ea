/** Apollo Server as its documentation starts it alone. */
import { ApolloServer } from '@apollo/server'
import { startStandaloneServer } from '@apollo/server/standalone'
import { buildSchema } from './schema.mjs'

const server = new ApolloServer({ schema: buildSchema(), introspection: false, csrfPrevention: false })
await startStandaloneServer(server, { listen: { host: '127.0.0.1', port: Number(process.env.PORT) } })
