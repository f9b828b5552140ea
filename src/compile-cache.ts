import { constants, enableCompileCache } from 'node:module'

/**
 * Makes Node cache the compiled code of the modules imported from now on in a folder, and use what an earlier process cached
 * there. Returns false if Node cannot use the folder: the process then runs without a cache. The environment variables
 * NODE_COMPILE_CACHE (another folder) and NODE_DISABLE_COMPILE_CACHE (no cache) take precedence.
 */
export function cacheCompiledCode(folder: string): boolean {
  const { status } = enableCompileCache(folder)
  const { ENABLED, ALREADY_ENABLED } = constants.compileCacheStatus
  return status === ENABLED || status === ALREADY_ENABLED
}
