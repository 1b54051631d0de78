// The board as a process of its own, for tests that kill it.

import { main } from 'duet-api'
import { board } from '../domain/board.ts'

await main(board)
