/**
 * Other names of one substance -> its international nonproprietary name. Sources: the INN lists of the WHO
 * (https://www.who.int/teams/health-product-and-policy-standards/inn), and where a country has kept a name of its own, the
 * adopted names of the United States and the United Kingdom (https://www.gov.uk/guidance/naming-human-medicines).
 */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  acetaminophen: 'paracetamol',
  albuterol: 'salbutamol',
  aspirin: 'acetylsalicylic acid',
  asa: 'acetylsalicylic acid',
  rifampin: 'rifampicin',
  meperidine: 'pethidine',
  epinephrine: 'adrenaline',
  norepinephrine: 'noradrenaline',
  glyburide: 'glibenclamide',
  amoxycillin: 'amoxicillin',
  clavulanate: 'clavulanic acid',
  'penicillin v': 'phenoxymethylpenicillin',
  'penicillin g': 'benzylpenicillin',
  'benzathine benzylpenicillin': 'benzylpenicillin',
  'procaine benzylpenicillin': 'benzylpenicillin',
  'benzathine penicillin': 'benzylpenicillin',
  cephalexin: 'cefalexin',
  cephazolin: 'cefazolin',
  cephradine: 'cefradine',
  sulphamethoxazole: 'sulfamethoxazole',
  sulphadiazine: 'sulfadiazine',
  sulphasalazine: 'sulfasalazine',
  frusemide: 'furosemide',
  dipyrone: 'metamizole',
  methamizole: 'metamizole',
  lignocaine: 'lidocaine',
  amphetamine: 'amfetamine',
  dextroamphetamine: 'dexamfetamine',
  dexamphetamine: 'dexamfetamine',
  methamphetamine: 'metamfetamine',
  lisdexamphetamine: 'lisdexamfetamine',
  diethylpropion: 'amfepramone',
  cyclosporine: 'ciclosporin',
  cyclosporin: 'ciclosporin',
  chlorpheniramine: 'chlorphenamine',
  levothyroxin: 'levothyroxine',
  dothiepin: 'dosulepin',
  hyoscine: 'scopolamine',
  amethocaine: 'tetracaine',
  phenobarbitone: 'phenobarbital',
}

/** Salts and hydrates name how a substance is made up, not what it does. */
const SALTS = new Set(
  `acetate anhydrous besilate besylate benzoate bitartrate bromide butylbromide calcium carbonate chloride citrate decanoate
  dihydrate dihydrochloride dipropionate disodium embonate enantate ethylsuccinate fumarate furoate gluconate hemihydrate
  hemifumarate hydrate hydrobromide hydrochloride lactate lysine maleate medoxomil mesilate mesylate mofetil monohydrate
  monosodium nitrate pamoate palmitate phosphate pivalate potassium propionate sodium stearate succinate sulfate sulphate
  tartrate tosilate trihydrate valerate xinafoate axetil proxetil pivoxil hcl base`.split(/\s+/),
)

/** Of these the salt is the medicine: ferrous sulfate, sodium chloride, lithium carbonate. */
const MINERAL =
  /^(sodium|potassium|calcium|magnesium|ferrous|ferric|iron|zinc|aluminium|aluminum|lithium|barium|silver|copper|selenium|ammonium|bismuth)\b/

/** A substance as everything here compares it: lower case, its INN, without its salt. */
export function canonical(name: string): string {
  const words = name.trim().toLowerCase().replaceAll(/\s+/g, ' ')
  const known = OTHER_NAMES[words]
  if (known) return known
  if (MINERAL.test(words)) return words
  const parts = words.split(' ')
  while (parts.length > 1 && SALTS.has(parts.at(-1)!)) parts.pop()
  const bare = parts.join(' ')
  return OTHER_NAMES[bare] ?? bare
}
