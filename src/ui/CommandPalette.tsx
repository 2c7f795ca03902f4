import { Spotlight, spotlight } from '@mantine/spotlight'
import { IconSearch } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Actor } from '~/shared/actor'
import { LANGUAGES } from '~/shared/language'
import { useSay } from '~/shared/say'
import { loadMessages } from './messages'
import { findScreens, type Found, type RecordSource } from './paletteSearch'

type Props = {
  actor: Actor
  /** Grows with every wish to open it. */
  request: number
  sources?: readonly RecordSource[]
}

/** Ctrl-K: type a few letters of a screen or a record, press Enter. */
export default function CommandPalette({ actor, request, sources }: Props) {
  const say = useSay()
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const [isReady, setReady] = useState(false)
  const records = useRecords(text, sources)

  useEffect(() => {
    async function openWithEveryLanguage() {
      await Promise.all(LANGUAGES.map(loadMessages))
      setReady(true)
      spotlight.open()
    }
    if (request > 0) void openWithEveryLanguage()
  }, [request])

  const screens = isReady ? findScreens(actor, text) : []
  const go = (to: string) => () => void navigate({ to })
  return (
    <Spotlight.Root
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
        {records.map(({ source, found }) => (
          <Spotlight.ActionsGroup key={source.label} label={say(source.label)}>
            {found.map(({ id, label, description, to }) => (
              <Spotlight.Action key={id} label={label} description={description} onClick={go(to)} />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {screens.length === 0 && records.length === 0 && <Spotlight.Empty>{say('palette.nothing')}</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}

const SHORTEST = 2
const PAUSE_MS = 250

/** What the features find for the text, asked for once typing pauses. A source that fails is left out. */
function useRecords(text: string, sources: readonly RecordSource[] | undefined) {
  const [results, setResults] = useState<{ source: RecordSource; found: Found[] }[]>([])
  useEffect(() => {
    if (!sources) return undefined
    const aborter = new AbortController()
    const find = async () => {
      if (text.trim().length < SHORTEST) return setResults([])
      const all = await Promise.all(
        sources.map(async (source) => ({ source, found: await source.find(text, aborter.signal).catch(() => []) })),
      )
      if (!aborter.signal.aborted) setResults(all.filter(({ found }) => found.length > 0))
    }
    const timer = setTimeout(() => void find(), PAUSE_MS)
    return () => {
      clearTimeout(timer)
      aborter.abort()
    }
  }, [text, sources])
  return results
}
