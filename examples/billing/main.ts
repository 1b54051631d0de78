import { main } from 'duet-api'
import { fillDemo } from './demo.ts'
import { api } from './service.ts'

await main(api, { demo: fillDemo })
