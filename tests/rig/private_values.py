"""Private values, each in the words that people use around them, and ordinary messages beside them.

Everything is invented or drawn: numbers are right by their check digits and belong to nobody that
is meant.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import phonenumbers
from stdnum import luhn
from stdnum.iso7064 import mod_97_10


@dataclass(frozen=True, slots=True)
class Planted:
    """One value in a message.

    Attributes:
        kind: What it is.
        value: As it is written.
        message: What the person says with it.
        follow_up: What the person says next; holds the value without the words that told it.
    """

    kind: str
    value: str
    message: str
    follow_up: str


PASSWORDS = (
    "Zx7!kestrel", "mango42Split", "W1ndm!ll", "pa55-Quokka", "B0rderC0llie", "7gHt!02kLm",
    "Lisboa#1998x", "n0tMyD0g", "qwErty!782", "F1ddlestick$", "ostrich_88_blue", "Tk4n!vz0",
)  # fmt: skip
SAID_OF_PASSWORDS = (
    "password: {} does that meet the NIST guidance of 2026",
    "can hackers guess {}? it's my gmail password",
    "I use {} as my password everywhere, how bad is that",
    "my sister set the netflix password to {} and now it says wrong",
    "the root password ({}) stopped working after the ubuntu upgrade",
    "ssh user deploy, password {}, permission denied publickey",
    "mysql access denied, user root password {} error 1045",
    "set password '{}' in docker compose, postgres still refuses",
    'is the passphrase "{}" long enough for wpa3',
    "wifi password {} fritzbox 7590 drops every hour",
    "pw={} curl basic auth returns 401",
    "{} is my password for the router, which attacks work against it",
    "my new login password would be {}, rate it please",
    "admin/{} are the credentials of our camera, how do I change them",
    "Kennwort {} wird von Windows 11 nicht angenommen",
    "mein Passwort für Steam war {} und wurde geändert",
    "mot de passe : {} refusé par ma box",
    "la contraseña del wifi es {} y no conecta",
    "minha senha é {} e o banco não aceita",
    "비밀번호 {} 가 유출됐는지 확인하는 법",
    "我的密码是 {} 怎么检查是否泄露",
    "パスワードは {} ですが弱いですか",
)
CODES = (
    ("my sim pin is {} and it asks for the puk", "7391"),
    ("PIN: {} does not work at the atm abroad", "5528"),
    ("the alarm code is {}, how do I change it on an ajax hub", "60417"),
    ("google sent me the verification code {} but I did not ask", "718204"),
    ("otp {} expired before I typed it, how long is it valid", "392817"),
    ("cvv {} is printed on the back, does amazon need it", "914"),
    ("my door code is {} what if it leaks", "4406"),
    ("mein PIN ist {} und die Karte ist gesperrt", "8813"),
    ("mon code pin est {} carte bloquée", "3094"),
    ("인증번호 {} 가 왔는데 피싱인가요", "550918"),
    ("验证码 {} 发给别人了怎么办", "661209"),
)
TOKENS = (
    ("openai key {} says insufficient quota", "sk-proj-Qm8Zr2Lw9Tx4Vb7Ny1Kc"),
    ("git push with {} fails 403", "ghp_Zk3vT9qLm2Xw8Rb5Ny7Hc1Jd4Fs6Ga0Pe2U"),
    ("aws says invalid signature for {}", "AKIAQ7ZK2WJX4MNP5RTV"),
    ("slack bot {} not in channel", "xoxb-704418290311-bQzKpLmTw"),
    ("stripe webhooks with {} unauthorized", "sk_live_9dKq2LmZx7VbTn4RwYc1"),
    ("curl with Bearer {} gives 401", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3NyJ9.q7Zk-3vT9"),
    ("why does postgres://app:{}@db.internal/prod time out", "qZ81mmx-Lp"),
    ("https://api.shop.example/v2/items?api_key={} returns 403", "9f2kq81zmx7d4v"),
    ("export STRIPE_SECRET={} not read by next.js", "whsec_71kzQmLx82Vb"),
    ("API_KEY={} in .env is ignored by vite", "d41k9zq7xm2v8b"),
    ("my etherscan api key {} hits the rate limit", "K7ZQ2MX9VB4TN1RWYC5H"),
    ("windows activation key {} error 0xc004f050", "QX7KD-92MVT-4BNRY-1WZPC-6HJGF"),
)  # fmt: skip
CARD_STARTS = ("4539", "4916", "5301", "5412", "2271", "2720", "3782", "3489", "6011", "6445",
               "3536", "3589", "3056", "6221", "5018", "6304", "2201", "6521")  # fmt: skip
SAID_OF_CARDS = (
    "charge on {} that I do not know",
    "is {} a visa or a mastercard",
    "card {} declined at the pump",
    "my credit card number is {} and apple pay refuses it",
    "{} exp 09/28 declined by steam",
    "Kreditkarte {} wird abgelehnt",
    "carte bancaire {} refusée en ligne",
)
SAID_OF_PHONES = (
    "{} keeps calling me what do they want",
    "my number {} gets spam sms how do I stop it",
    "call from {} scam",
    "port {} to another carrier how long does it take",
    "whatsapp banned {} appeal",
    "Anruf von {} wer ist das",
)
REGIONS = ("US", "GB", "DE", "FR", "ES", "KR", "JP")
SAID_OF_MAILS = (
    "is {} in a data breach",
    "gmail bounced my message to {} with 550",
    "{} signed me up for spam how to report",
    "delete the account of {} at ebay",
    "newsletter von {} abbestellen",
)
SAID_OF_IBANS = (
    "transfer to {} was returned by n26",
    "which bank is {}",
    "Überweisung an {} rückgängig machen",
    "is {} a valid account for sepa",
)
IBANS = {"DE": 18, "FR": 0, "NL": 0, "ES": 20, "AT": 16, "BE": 12, "PL": 24, "SE": 20, "DK": 14,
         "FI": 14, "PT": 21, "CH": 17}  # fmt: skip
SAID_OF_SSNS = (
    "ssn {} was stolen what should I do",
    "my social security number is {} how do I freeze my credit",
    "is {} a valid social security number",
    "irs letter lists {} instead of mine",
)


# What is said of secrets, numbers and names in general.
ORDINARY = (
    "is fritz!box 7590 default password printed on the label",
    "change password windows11 home without microsoft account",
    "utf8mb4 and password_hash() in php8.3",
    "how to reset the password of an iphone15pro",
    "password requirements pci-dss-4.0 2026",
    "what is log4shell and does it leak passwords",
    "argon2id vs bcrypt for password hashing",
    "1password vs bitwarden 2026",
    "sha256 salted password crack time rtx4090",
    "best password manager for macOS15 and android16",
    "passkeys vs passwords fido2 support in ios18",
    "p@ssw0rd is the most used password in which year",
    "galaxy s24ultra forgot lock screen password",
    "password spraying attack on office365 e3",
    "x86_64 linux root password reset grub2",
    "how do I change my gmail password on a pixel9pro",
    "k8s secret base64 password kubectl create",
    "bios password reset thinkpad x1carbon gen12",
    "CVE-2024-3094 xz backdoor password bypass",
    "ps5 parental password reset",
    "playstation5 password reset email not arriving",
    "password123 how many accounts use it",
    "ssh-keygen ed25519 passphrase change",
    "wpa2-psk password length minimum",
    "netflix password sharing rules 2026 in germany",
    "aes-256-gcm password derived key pbkdf2",
    "rfc6238 totp vs password",
    "zip password recovery with john1.9",
    "mysql8.0 alter user identified by password syntax",
    "password_verify php returns false",
    "tp-link archer c7 default admin password",
    "nordvpn vs mullvad which needs no password",
    "dell xps13 9340 bios password",
    "default password raspberry pi os 2026",
    "who invented the computer password",
    "what is the password in the movie eyes wide shut",
    "harry potter gryffindor passwords list",
    "clave wifi telmex por defecto modelo HG8245H",
    "mot de passe oublié freebox v6",
    "passwort manager test stiftung warentest 2026",
    "windows 11 passwort vergessen 24h2",
    "router speedport smart4plus passwort",
    "clave de sol y clave de fa",
    "credentials provider aws sdk v3 node20",
)
ASKED = (
    "{} release date and price",
    "how many people watched {}",
    "{} vs the one before, what changed",
    "is {} still supported in 2026",
    "error {} after the update, how to fix it",
    "population and area of {} in 1990 2000 2010 2020",
    "who won {} and by how much",
    "when does {} start in Lisbon, 10:30 or 18:45",
    "{} spare parts under 50 euros",
    "wie teuer ist {} in der Schweiz",
    "quand sort {} en France",
    "cuánto cuesta {} en México",
    "{} 출시일과 가격",
    "{} 什么时候发布",
    "{} の発売日はいつですか",
    "convert 3.5 km, 12 lb and 98.6 F; also what is {}",
    "explain {} step by step with 3 examples",
    "{} from 2012 to 2016 to 2020 to 2024",
    "best {} of the last 10 years, top 25",
    "the score of {} was 3-1, 2-2 and 4-0, right",
    "flight LH 1234 or {} to Oslo on 2026-12-24",
    "my password manager says {} is outdated",
    "what is the default login page of {}",
    "does the card game {} need 52 or 54 cards",
    "phone battery of {} 4500 mAh or 5000 mAh",
)
THINGS = (
    "iPhone 17 Pro", "Pixel 10a", "Galaxy S26 Ultra", "RTX 5090", "Windows 11 24H2",
    "Python 3.14.1", "Node.js 22.11.0", "Ubuntu 26.04", "kernel 6.12.9", "GTA 6",
    "Formula 1 2026", "World Cup 2026", "Olympics 2028", "Euro 2024", "ISO 27001", "RFC 9110",
    "IPv6", "802.11be", "Boeing 737-800", "Airbus A321neo", "Model Y", "BMW i4", "PS5 Pro",
    "Switch 2", "USB4 v2", "HDMI 2.1b", "DDR5-6400", "B650E", "Ryzen 9 9950X", "M5 MacBook",
    "COVID-19", "H5N1", "Apollo 11", "Route 66", "Blade Runner 2049", "the Seikan Tunnel",
    "Berlin", "0x80070057", "E11000", "CVE-2024-3094",
)  # fmt: skip


def ordinary() -> Iterator[str]:
    """Messages with numbers, versions, codes and the words of secrets, and nothing private."""
    yield from ORDINARY
    yield from (said.format(thing) for said in ASKED for thing in THINGS)


def passwords() -> Iterator[Planted]:
    """Words that only their surroundings tell to be secret."""
    for n, said in enumerate(SAID_OF_PASSWORDS):
        for value in (PASSWORDS[n % 12], PASSWORDS[(5 * n + 3) % 12]):
            yield _planted("password", value, said, "and is {} on any list of leaked ones?")


def codes() -> Iterator[Planted]:
    """Short numbers that open something."""
    for said, value in CODES:
        yield _planted("code", value, said, "how many people have {} too?")


def tokens() -> Iterator[Planted]:
    """Keys that programs use."""
    for said, value in TOKENS:
        yield _planted("token", value, said, "can {} be revoked from abroad?")


def cards(count: int, seed: int = 1) -> Iterator[Planted]:
    """Card numbers of all networks in their usual spellings, next to what is said of them."""
    chance = random.Random(seed)
    for n in range(count):
        start = CARD_STARTS[n % len(CARD_STARTS)]
        length = {"37": 15, "34": 15, "30": 14}.get(start[:2], 16)
        if start == "6304" and n % 2:
            length = 19
        body = start + "".join(chance.choices("0123456789", k=length - 5))
        digits = body + luhn.calc_check_digit(body)
        value = chance.choice((digits, _in_fours(digits, " "), _in_fours(digits, "-")))
        yield _planted("card", value, SAID_OF_CARDS[n % 7], "which bank issued {}?")


def _in_fours(digits: str, sign: str) -> str:
    if len(digits) < 16:  # Amex and Diners: 4, 6 and the rest
        return sign.join((digits[:4], digits[4:10], digits[10:]))
    return sign.join(digits[i : i + 4] for i in range(0, len(digits), 4))


def phones(count: int, seed: int = 2) -> Iterator[Planted]:
    """Numbers of seven countries, national with their country's words or international."""
    chance = random.Random(seed)
    forms = phonenumbers.PhoneNumberFormat
    for n in range(count):
        region = REGIONS[n % len(REGIONS)]
        number = _number(region, chance)
        form = (forms.INTERNATIONAL, forms.NATIONAL, forms.E164)[n // len(REGIONS) % 3]
        value = phonenumbers.format_number(number, form)
        yield _planted("phone", value, SAID_OF_PHONES[n % 6], "and who else got a call from {}?")


def _number(region: str, chance: random.Random) -> phonenumbers.PhoneNumber:
    kind = phonenumbers.PhoneNumberType.MOBILE
    pattern = phonenumbers.example_number_for_type(region, kind)
    for _ in range(1000):
        text = str(pattern.national_number)
        drawn = text[:-6] + "".join(chance.choices("0123456789", k=6))
        number = phonenumbers.PhoneNumber(pattern.country_code, int(drawn))
        if phonenumbers.is_valid_number(number):
            return number
    return pattern


def mails(count: int, seed: int = 3) -> Iterator[Planted]:
    """Mail addresses."""
    chance = random.Random(seed)
    first = ("anna", "b.olsen", "c_moreau", "dmitri77", "e-lopez", "kim.jisoo", "t.o.hara+shop")
    hosts = ("posthaus.example", "mail.corp.example", "uni-nord.example", "web.example.co")
    for n in range(count):
        value = f"{chance.choice(first)}{n}@{chance.choice(hosts)}"
        yield _planted("email", value, SAID_OF_MAILS[n % 5], "who runs the server of {}?")


def ibans(count: int, seed: int = 4) -> Iterator[Planted]:
    """Account numbers of countries whose accounts are digits."""
    chance = random.Random(seed)
    countries = [country for country, digits in IBANS.items() if digits]
    for n in range(count):
        country = countries[n % len(countries)]
        account = "".join(chance.choices("0123456789", k=IBANS[country]))
        check = mod_97_10.calc_check_digits(f"{account}{country}")
        compact = f"{country}{check}{account}"
        spaced = " ".join(compact[i : i + 4] for i in range(0, len(compact), 4))
        value = chance.choice((compact, spaced, spaced.lower()))
        yield _planted("iban", value, SAID_OF_IBANS[n % 4], "does {} cost a fee?")


def ssns(count: int, seed: int = 5) -> Iterator[Planted]:
    """Social security numbers of the United States."""
    chance = random.Random(seed)
    for n in range(count):
        area = chance.choice((*range(1, 666), *range(667, 772)))
        value = f"{area:03}-{chance.randint(1, 99):02}-{chance.randint(1, 9999):04}"
        yield _planted("ssn", value, SAID_OF_SSNS[n % 4], "is {} already used by someone?")


def every() -> Sequence[Planted]:
    """At least 150 values of all kinds."""
    return (
        *passwords(), *codes(), *tokens(), *cards(30), *phones(28), *mails(15), *ibans(16),
        *ssns(12),
    )  # fmt: skip


def _planted(kind: str, value: str, said: str, then: str) -> Planted:
    return Planted(kind, value, said.format(value), then.format(value))
