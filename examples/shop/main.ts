import { main } from 'duet-api'
import { fillDemo } from './demo.ts'
import { exported } from './export.ts'
import { paid } from './payment.ts'
import { api } from './service.ts'

const secret = process.env['PAYMENT_SECRET']
if (secret === undefined) console.log('Without PAYMENT_SECRET no payment is taken.')

await main(api, { demo: fillDemo, routes: secret === undefined ? [exported] : [exported, paid(secret)] })
