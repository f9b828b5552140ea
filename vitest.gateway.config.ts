import { defineConfig } from 'vitest/config'
import { COMMON } from './vitest.config.ts'

/** What lies in test/gateway: it needs gateways, which `npm ci --prefix test/gateway/hive` and `… test/gateway/apollo` install. */
export default defineConfig({
  test: {
    ...COMMON,
    include: ['test/gateway/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
  },
})
