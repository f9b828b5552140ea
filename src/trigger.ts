/** Events and scenarios of the emulator, as the command `payments-subgraph trigger` uses them. */
export { runScenario, ScenarioError, trigger } from 'payments-subgraph-sandbox'
