import { main } from 'duet-api'
import { fillDemo } from './demo.ts'
import { api, secret } from './service.ts'

if (secret === undefined) console.log('Without PAYMENT_SECRET no payment is taken.')

await main(api, { demo: fillDemo })
