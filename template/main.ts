import { main } from 'duet'
import { fillDemo } from './demo.ts'
import { api } from './service.ts'

await main(api, { demo: fillDemo })
