import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startMailServer } from '../../test/support/server/smtp.ts'
import { defaultLimits } from '../limits.ts'
import { createMailer } from './mailer.ts'

const smtp = await startMailServer()
after(() => smtp.close())
const mail = { to: 'ada@example.com', subject: 'Grüße', text: 'A secret: abc\n.\n..\nThe end.' }

function open(smtpUrl: string | null, production = false) {
  const messages: string[] = []
  const tell = (level: string) => (message: string, fields?: object) =>
    void messages.push(`${level}: ${message} ${JSON.stringify(fields ?? {})}`)
  const mailer = createMailer({
    smtpUrl,
    baseUrl: 'https://api.example.com',
    production,
    log: { reveal: tell('reveal'), error: tell('error') },
    limits: defaultLimits,
  })
  return { mailer, told: messages }
}

test('a mail arrives as it was written', async () => {
  const { mailer, told: messages } = open(smtp.url)
  await mailer.send(mail)
  mailer.close()
  const [received] = smtp.to('ada@example.com')
  assert.equal(received?.from, 'no-reply@api.example.com')
  assert.match(received?.text ?? '', /A secret: abc\n\.\n\.\.\nThe end\./)
  assert.match(received?.text ?? '', /^To: ada@example.com$/m)
  assert.deepEqual(messages, [])
})

for (const [url, sender] of [
  [smtp.url.replace('//', '//service%40example.org@'), 'service@example.org'],
  [`${smtp.url}/?from=hello@example.net`, 'hello@example.net'],
] as const) {
  test(`${sender} writes where SMTP_URL says so`, async () => {
    const { mailer } = open(url)
    await mailer.send({ ...mail, to: sender })
    mailer.close()
    assert.equal(smtp.to(sender)[0]?.from, sender)
  })
}

test('no address is two', async () => {
  const { mailer } = open(smtp.url)
  const to = 'one@example.com, two@example.com'
  await mailer.send({ ...mail, to }).catch(() => undefined)
  mailer.close()
  for (const each of ['one@example.com', 'two@example.com']) assert.equal(smtp.to(each).length, 0)
})

test('a server that refuses is a failure', async () => {
  const { mailer } = open(smtp.url)
  smtp.behave('refusing')
  await assert.rejects(mailer.send(mail), /nobody of that name/)
  smtp.behave('well')
  await mailer.send(mail)
  mailer.close()
})

test('0.1.5 without a server, development reads the mail in the log, and production only that there was none', async () => {
  const [development, production] = [open(null), open(null, true)]
  await development.mailer.send(mail)
  assert.match(development.told.join(), /^reveal: .*To: ada@example\.com.*A secret: abc/s)
  await production.mailer.send(mail)
  assert.match(production.told.join(), /^error: A mail could not be sent: SMTP_URL is not set\./)
  assert.doesNotMatch(production.told.join(), /ada@|abc/)
})
