import { expect, test } from 'vitest'
import { limited } from './limited'

/** Work that runs until it is ended, in the order of its beginning. */
function bench(queue: ReturnType<typeof limited>) {
  const running: { place: string; end: () => void }[] = []
  const begun: string[] = []
  const ask = (place: string, left?: AbortSignal) =>
    queue
      .run(
        async () => {
          begun.push(place)
          await new Promise<void>((resolve) => running.push({ place, end: resolve }))
        },
        { place, ...(left && { left }), refuse: () => new Error('refused') },
      )
      .then(
        () => 'done',
        (error: unknown) => (error as Error).message,
      )
  const end = async (place: string) => {
    const at = running.findIndex((each) => each.place === place)
    running.splice(at, 1)[0]!.end()
    await new Promise(setImmediate)
  }
  return {
    ask,
    end,
    begun,
    atWork: () =>
      running
        .map(({ place }) => place)
        .toSorted()
        .join(''),
  }
}

test('a place alone runs as much as one may, and beside others its smaller share', async () => {
  const queue = limited(6, 100, 4, 2)
  const { ask, end, atWork } = bench(queue)
  for (let at = 0; at < 10; at += 1) void ask('a')
  expect(atWork()).toBe('aaaa')
  void ask('b')
  expect(atWork()).toBe('aaaab')
  // what runs is not interrupted, and nothing of `a` follows it
  await end('a')
  await end('a')
  expect(atWork()).toBe('aab')
  await end('a')
  expect(atWork()).toBe('aab')
  // `b` was at work a moment ago
  await end('b')
  expect(atWork()).toBe('aa')
})

test('a place with eight waiting runs one at a time beside others', async () => {
  const queue = limited(6, 100, 4, 2)
  const { ask, end, atWork } = bench(queue)
  void ask('b')
  for (let at = 0; at < 11; at += 1) void ask('a')
  expect(atWork()).toBe('aab')
  await end('a')
  expect(atWork()).toBe('ab')
  await end('a')
  expect(atWork()).toBe('ab')
  await end('a')
  // seven wait now
  expect(atWork()).toBe('aab')
})

test('a place counts as at work until 64 others have begun', async () => {
  const queue = limited(6, 100, 4, 1)
  const { ask, end, atWork } = bench(queue)
  void ask('b')
  await end('b')
  for (let at = 0; at < 70; at += 1) void ask('a')
  expect(atWork()).toBe('a')
  for (let at = 0; at < 62; at += 1) await end('a')
  expect(atWork()).toBe('a')
  await end('a')
  expect(atWork()).toBe('aaaa')
})

test('work that nobody waits for leaves the queue, and makes room in it', async () => {
  const queue = limited(1, 2)
  const { ask, end, begun } = bench(queue)
  const first = ask('a')
  const leaving = new AbortController()
  const second = ask('b', leaving.signal)
  const third = ask('c')
  expect(await ask('d')).toBe('refused')
  leaving.abort(new Error('left'))
  expect(await second).toBe('left')
  expect(queue.waiting()).toBe(1)
  const fourth = ask('d')
  for (const place of ['a', 'c', 'd']) await end(place)
  expect(await Promise.all([first, third, fourth])).toEqual(['done', 'done', 'done'])
  expect(begun).toEqual(['a', 'c', 'd'])
  expect(await ask('e', leaving.signal)).toBe('left')
})

test('a lull begins when the work of others has ended, and comes in the end although they never rest', async () => {
  const queue = limited(4)
  const { ask, end } = bench(queue)
  const heard: string[] = []
  const listen = async (name: string, place: string, atMost: number) => {
    await queue.lull(place, 0, atMost)
    heard.push(name)
  }
  void ask('a')
  // of one place, nothing else is at work
  await listen('own', 'a', Infinity)
  const others = listen('others', 'b', Infinity)
  await listen('patience is over', 'b', 20)
  expect(heard).toEqual(['own', 'patience is over'])
  await end('a')
  await others
  expect(heard.at(-1)).toBe('others')
  // right after the end, its answer is being sent: a rest without an end is waited for as long as patience lasts
  let isOver = false
  const resting = queue.lull('b', Infinity, 20).then(() => (isOver = true))
  await new Promise(setImmediate)
  expect(isOver).toBe(false)
  await resting
  // one's own end is nobody's answer
  await queue.lull('a', Infinity, Infinity)
})
