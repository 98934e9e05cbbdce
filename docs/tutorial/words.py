import random

GOOD = ("initiate", "rite", "bury", "lead", "honor", "stone", "hunt", "bottom")


def choose(decision, view):
    liked = [option for word in GOOD for option in decision.options if word in option.text]
    return liked[0] if liked else random.choice(decision.options)
