import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useSay } from '~/shared/say'
import { idFrom } from './definition-draft'

type Props = { label: string; name: string; onRename: (to: string) => void }

/** The name by which other parts of the definition refer to this one. It changes when the box is left. */
export function NameBox({ label, name, onRename }: Props) {
  const say = useSay()
  const [typed, setTyped] = useState<string | null>(null)
  return (
    <TextInput
      label={label}
      description={say('reportEditor.nameHint')}
      value={typed ?? name}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={() => {
        if (typed?.trim()) onRename(idFrom(typed, new Set()))
        setTyped(null)
      }}
      maxLength={50}
      flex={1}
      dir="auto"
      autoComplete="off"
    />
  )
}
