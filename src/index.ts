export { createApp, type App, type AppConfig, type AppOptions } from './app.ts'
export { describeFaults, parseConfig, type Config, type ConfigFault } from './config.ts'
export { createLogger, type Logger } from './observability/logger.ts'
