import { createSpotlight, Spotlight } from '@mantine/spotlight'
import { IconSearch } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Actor } from '~/shared/actor'
import { LANGUAGES } from '~/shared/language'
import { useSay } from '~/shared/say'
import { loadMessages } from '~/ui/messages'
import { usePaletteSources } from './palette-sources'
import { findScreens, type PaletteEntry, rankFound, type RecordSource } from './palette-search'

const [store, palette] = createSpotlight()

type Props = {
  actor: Actor
  /** Grows with every wish to open it. */
  request: number
}

/** Ctrl-K: type a few letters of a screen or a record, press Enter. */
export default function CommandPalette({ actor, request }: Props) {
  const say = useSay()
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const [isReady, setReady] = useState(false)
  const { records: found, isSearching } = useRecords(text, usePaletteSources(actor))

  useEffect(() => {
    async function openWithEveryLanguage() {
      await Promise.all(LANGUAGES.map(loadMessages))
      setReady(true)
      palette.open()
    }
    if (request > 0) void openWithEveryLanguage()
  }, [request])

  const screens = isReady ? findScreens(actor, text) : []
  const records = found
    .map(({ source, found: all }) => ({ source, found: rankFound(all, text, screens.length > 0) }))
    .filter((group) => group.found.length > 0)
  // also after a later answer
  useEffect(keepSomethingSelected)
  const go = (to: string) => () => void navigate({ to })
  return (
    <Spotlight.Root
      store={store}
      query={text}
      onQueryChange={setText}
      shortcut={null}
      scrollable
      maxHeight="24rem"
      attributes={{ content: { 'aria-label': say('palette.open') } }}
    >
      <Spotlight.Search
        placeholder={say('palette.placeholder')}
        aria-label={say('palette.open')}
        leftSection={<IconSearch size={20} aria-hidden />}
        dir="auto"
      />
      <Spotlight.ActionsList>
        {screens.length > 0 && (
          <Spotlight.ActionsGroup label={say('palette.screens')}>
            {screens.map(({ path, label, icon: Icon }) => (
              <Spotlight.Action
                key={path}
                label={say(label)}
                leftSection={<Icon size={20} stroke={1.7} aria-hidden />}
                onClick={go(path)}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {records.map(({ source, found: matches }) => (
          <Spotlight.ActionsGroup key={source.label} label={say(source.label)}>
            {matches.map(({ id, label, description, to }) => (
              <Spotlight.Action key={id} label={label} description={description} onClick={go(to)} />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {screens.length === 0 && records.length === 0 && (
          <Spotlight.Empty>
            {say(isSearching ? 'palette.searching' : 'palette.nothing')}
          </Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}

/**
 * Enter opens the first that was found, also when it arrives after the last key; what the arrows
 * chose stays chosen.
 */
function keepSomethingSelected() {
  const { listId } = store.getState()
  if (!listId) return
  const found = [...document.querySelectorAll(`#${CSS.escape(listId)} [data-action]`)]
  const chosen = found.findIndex((action) => action.hasAttribute('data-selected'))
  if (chosen < 0) found[0]?.setAttribute('data-selected', 'true')
  const selected = found.length > 0 ? Math.max(chosen, 0) : -1
  if (store.getState().selected !== selected) store.updateState((state) => ({ ...state, selected }))
}

const SHORTEST = 2
const PAUSE_MS = 250

/**
 * What the features find for the text, asked for once typing pauses. Each kind is shown as soon as
 * it is there; one that fails is left out.
 */
function useRecords(text: string, sources: readonly RecordSource[] | undefined) {
  const [results, setResults] = useState<{
    for: string
    found: ReadonlyMap<RecordSource, PaletteEntry[]>
  }>(NOTHING_ASKED)
  const wanted = text.trim()
  useEffect(() => {
    if (!sources || wanted.length < SHORTEST) return undefined
    const aborter = new AbortController()
    const ask = async (source: RecordSource) => {
      const found = await source.find(wanted, aborter.signal).catch(() => [])
      if (aborter.signal.aborted) return
      setResults((now) => ({
        for: wanted,
        found: new Map([...(now.for === wanted ? now.found : []), [source, found]]),
      }))
    }
    const timer = setTimeout(() => sources.forEach((source) => void ask(source)), PAUSE_MS)
    return () => {
      clearTimeout(timer)
      aborter.abort()
    }
  }, [wanted, sources])
  if (!sources || wanted.length < SHORTEST) return { records: [], isSearching: false }
  const found = results.for === wanted ? results.found : NOTHING_ASKED.found
  return {
    // in the order of the sources, whichever answers first
    records: sources.flatMap((source) =>
      found.get(source)?.length ? [{ source, found: found.get(source)! }] : [],
    ),
    isSearching: found.size < sources.length,
  }
}

const NOTHING_ASKED = { for: '', found: new Map<RecordSource, PaletteEntry[]>() }
