import { PickList } from '~/fields/PickList'
import { useSay } from '~/shared/say'
import { type Encoding, ENCODINGS } from '~/shared/text-encoding'

type Props = { value: Encoding | null; onChange: (encoding: Encoding | null) => void }

/** The encoding of a text file; null: detect it. */
export function EncodingSelect({ value, onChange }: Props) {
  const say = useSay()
  return (
    <PickList
      label={say('imports.encoding')}
      value={value ?? ''}
      onChange={(chosen) => onChange(ENCODINGS.find((known) => known === chosen) ?? null)}
      data={[
        { value: '', label: say('imports.encodingAuto') },
        ...ENCODINGS.map((known) => ({ value: known, label: say(`imports.encodings.${known}`) })),
      ]}
      allowDeselect={false}
    />
  )
}
