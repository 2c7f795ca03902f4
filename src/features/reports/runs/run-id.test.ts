import { createElement, useState } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { useRunId } from './run-id'

test('a run that arrived though its answer was lost does not give its id to the next one', () => {
  const ids: string[] = []
  function Panel() {
    const [runs, read] = useState<{ id: string }[]>([])
    const [id] = useRunId(runs)
    if (ids.at(-1) !== id) ids.push(id)
    // the screen reads the report again
    if (runs.length === 0) read([{ id }])
    return null
  }
  renderToString(createElement(Panel))
  expect(new Set(ids).size).toBe(2)
})
