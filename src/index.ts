export type { VerifyToken } from './access/own-verifier.ts'
export { createApp, type App, type AppOptions } from './app.ts'
export { ConfigError, describeFaults, parseConfig, type Config, type ConfigFault } from './config.ts'
export { createLogger, type Logger } from './observability/logger.ts'
