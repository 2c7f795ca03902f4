import { useFormatter } from 'use-intl'

/** A quantity whose digits line up. `signed`: what came in has a plus. */
export function Quantity({ value, signed }: { value: number; signed?: boolean }) {
  const format = useFormatter()
  const text = format.number(value, {
    maximumFractionDigits: 3,
    signDisplay: signed ? 'exceptZero' : 'auto',
  })
  return (
    <bdi dir="ltr" style={{ fontVariantNumeric: 'tabular-nums' }}>
      {text}
    </bdi>
  )
}
