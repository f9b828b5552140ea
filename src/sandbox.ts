/** The sandbox alone, as the command `payments-subgraph sandbox` starts it. */
import 'payments-subgraph-sandbox/main'
