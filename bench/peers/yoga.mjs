/** GraphQL Yoga as its documentation starts it, without the explorer and without logging. */
import { createServer } from 'node:http'
import { createYoga } from 'graphql-yoga'
import { buildSchema } from './schema.mjs'

const yoga = createYoga({
  schema: buildSchema(),
  graphiql: false,
  landingPage: false,
  logging: false,
  healthCheckEndpoint: '/health/ready',
})
createServer(yoga).listen(Number(process.env.PORT), '127.0.0.1')
