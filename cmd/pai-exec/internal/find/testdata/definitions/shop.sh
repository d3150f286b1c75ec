#!/bin/bash
# function in a comment() {
total=0

add() {
	total=$((total + $1))
}

function report {
	echo "total() is $total"
}

function clear_all() {
	total=0
}
add 3
report
