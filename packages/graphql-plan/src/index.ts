export {
  createLibraryExecutor,
  createPlannedExecutor,
  type ExecutableOperation,
  type ExecutedText,
  type Execute,
} from './executor.ts'
