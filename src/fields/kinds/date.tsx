import { useSay } from '~/shared/say'
import { DayBox } from '../DayBox'
import { useFrame } from '../frame'
import { IsoDay } from '../IsoDay'
import { type CellProps, type InputProps, type FieldKindSpec, typed } from '../kind'
import { dayFrom } from '../typed'

/** Typed or picked. */
function Input(props: InputProps) {
  const say = useSay()
  const { description, ...frame } = useFrame(props)
  const { month, readAs } = props.field
  return (
    <DayBox
      {...frame}
      description={description ?? say(month ? 'form.monthHint' : 'form.dateHint')}
      value={typed(props.value)}
      onChange={props.onChange}
      month={month}
      readAs={readAs}
    />
  )
}

/** docs/specification.md, "Values of answers": `yyyy-MM-dd`, or the stored text if it is no date. */
function Cell({ value }: CellProps) {
  const day = dayFrom(typed(value))
  return day ? <IsoDay day={day} /> : <bdi>{typed(value)}</bdi>
}

export const dateKind: FieldKindSpec = { Input, Cell, toText: typed, fhirType: 'date' }
