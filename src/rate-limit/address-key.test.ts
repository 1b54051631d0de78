import assert from 'node:assert/strict'
import { test } from 'node:test'
import { heldBytes } from '../../test/support/check/heap.ts'
import { createAddressKey } from './address-key.ts'

const limits = { addressesCached: 10_000, addressCacheBytes: 4_000_000 }
const addressKey = createAddressKey(limits)

const rows: readonly [address: string, key: string][] = [
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['::ffff:c000:201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.2', '192.0.2.2'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:DB8:0:0:ffff:ffff:ffff:ffff', '2001:db8:0:0::/64'],
  ['2001:0db8:0000:0001::', '2001:db8:0:1::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['fe80::2%eth1', 'fe80:0:0:0::/64'],
  ['', ''],
  ['not:an:address', 'not:an:address'],
]

for (const [address, key] of rows) {
  test(`8.3.3 '${address}' is counted as '${key}'`, () => {
    assert.equal(addressKey(address), key)
    assert.equal(addressKey(address), key, 'also when cached')
  })
}

test('keys stay right, and memory small, when more addresses come than are cached', () => {
  const bytes = heldBytes(() => {
    for (let index = 0; index < 200_000; index++) {
      const groups = `2001:db8:${(index >> 16).toString(16)}:${(index & 65_535).toString(16)}`
      assert.equal(addressKey(`${groups}::7`), `${groups}::/64`)
    }
  })
  assert.ok(bytes < 8_000_000, `${bytes} bytes`)
  assert.equal(addressKey('2001:db8::1'), '2001:db8:0:0::/64')
})
