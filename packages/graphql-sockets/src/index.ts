export {
  createLibrarySocketServer,
  createSocketServer,
  type SocketServer,
  type SocketServerOptions,
} from './socket-server.ts'
export type {
  AnswerReader,
  AnswerStream,
  Connection,
  Outcome,
  RunOptions,
  SharedTimer,
  SocketHandlers,
  SocketLimits,
  SocketLogger,
} from './handlers.ts'
export { CLOSING, type Closing } from './protocol.ts'
