import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { defaultLimits } from '../../limits.ts'
import { createAddressFinder, parseTrustProxy } from './address.ts'

function finder(trusted: string) {
  const warnings: string[] = []
  const find = createAddressFinder({
    trustProxy: parseTrustProxy(trusted),
    limits: { ...defaultLimits, addressesCached: 4 },
    warn: (message) => warnings.push(message),
  })
  return { find, warnings }
}

describe('0.1.3 the client is the right-most untrusted hop', () => {
  const rows: [trusted: string, peer: string, forwardedFor: string | undefined, client: string][] = [
    ['', '203.0.113.7', undefined, '203.0.113.7'],
    ['', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['10.0.0.0/8', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['10.0.0.0/8', '10.1.2.3', undefined, '10.1.2.3'],
    ['10.0.0.0/8', '10.1.2.3', '6.6.6.6, 198.51.100.1', '198.51.100.1'],
    ['10.0.0.0/8', '10.1.2.3', '6.6.6.6, 198.51.100.1 , 10.9.9.9', '198.51.100.1'],
    ['10.0.0.0/8', '11.1.2.3', '198.51.100.1', '11.1.2.3'],
    ['10.0.0.0/8,192.0.2.1', '192.0.2.1', '198.51.100.1,10.0.0.1', '198.51.100.1'],
    ['192.0.2.1', '192.0.2.2', '198.51.100.1', '192.0.2.2'],
    ['10.0.0.0/8', '10.1.2.3', '10.0.0.9, 10.0.0.8', '10.0.0.9'],
    ['10.0.0.0/8', '10.1.2.3', '198.51.100.1, unknown, 10.0.0.8', '10.0.0.8'],
    ['10.0.0.0/8', '10.1.2.3', '', '10.1.2.3'],
    ['10.0.0.0/8', '10.1.2.3', '198.51.100.1,', '10.1.2.3'],
    ['10.0.0.0/8', '10.1.2.3', '198.51.100.1:4711', '198.51.100.1'],
    ['10.0.0.0/8', '10.1.2.3', '[2001:DB8:0:0::1]:4711', '2001:db8::1'],
    ['10.0.0.0/8', '10.1.2.3', '0x7f.1', '10.1.2.3'],
    ['10.0.0.0/8', '10.1.2.3', '010.0.0.1', '10.1.2.3'],
    ['10.0.0.0/8', '::ffff:10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['10.0.0.0/8', '10.1.2.3', '::ffff:198.51.100.1', '198.51.100.1'],
    ['fd00::/8', 'fd12::1', '2001:db8::0:1', '2001:db8::1'],
    ['::/0', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['', 'fe80::1%eth0', undefined, 'fe80::1'],
    ['', '', undefined, ''],
  ]
  for (const [trusted, peer, forwardedFor, client] of rows) {
    test(`${peer} says ${forwardedFor} and [${trusted}] is trusted: ${client}`, () => {
      const { find } = finder(trusted)
      assert.equal(find(peer, forwardedFor), client)
      assert.equal(find(peer, forwardedFor), client)
    })
  }

  test('an endless header is looked at no further than the hops allowed', () => {
    const { find } = finder('10.0.0.0/8')
    assert.equal(find('10.0.0.1', `198.51.100.1${', 10.0.0.7'.repeat(2_000)}`), '10.0.0.7')
  })

  test('addresses are found again after more of them than are remembered', () => {
    const { find } = finder('10.0.0.0/8')
    for (let round = 0; round < 2; round++) {
      for (let host = 1; host < 20; host++) assert.equal(find('10.0.0.1', `198.51.100.${host}`), `198.51.100.${host}`)
    }
  })
})

test('warns once that X-Forwarded-For arrives from an untrusted peer', () => {
  const { find, warnings } = finder('10.0.0.0/8')
  find('203.0.113.7', undefined)
  find('10.0.0.1', '198.51.100.1')
  assert.deepEqual(warnings, [])
  find('203.0.113.7', '198.51.100.1')
  find('203.0.113.8', '198.51.100.1')
  assert.deepEqual(warnings, [
    'X-Forwarded-For arrived from 203.0.113.7, which TRUST_PROXY does not name, and is ignored.',
  ])
})

describe('a wrong TRUST_PROXY is refused with a sentence', () => {
  for (const range of [
    '2',
    'true',
    'loopback',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0',
    'a/8',
  ]) {
    test(range, () =>
      assert.throws(() => parseTrustProxy(`127.0.0.1, ${range}`), {
        message: `TRUST_PROXY: "${range}" is neither an address nor a CIDR range such as 10.0.0.0/8.`,
      }),
    )
  }
})
